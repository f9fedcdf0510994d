export default function Graph() {
  return <h1>Graph</h1>;
}

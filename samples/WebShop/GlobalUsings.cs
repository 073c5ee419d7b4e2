global using Geo;
// The line that names the host: samples/WebShop.Orleans has others here, and the grains stay as they are.
global using Geo.Embedded;

global using Geo;
// The line that names the host: against Orleans it is `global using Orleans;` with its companions, and the grains stay as they are.
global using Geo.Embedded;

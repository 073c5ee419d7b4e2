// The line that names the host: what benchmarks/Geo.Experiments.Orleans compiles as well has Orleans' there.
global using Geo.Embedded;

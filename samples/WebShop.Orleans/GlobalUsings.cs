global using Geo;
// The lines that name the host: embedded it is `global using Geo.Embedded;` alone, and the grains stay as they are.
global using Geo.Orleans;
global using Orleans;
global using Orleans.Concurrency;
global using Orleans.EventSourcing;

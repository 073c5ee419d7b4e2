global using Geo;
// The lines that name the host of samples/ByteArray.
global using Geo.Orleans;
global using Orleans;
global using Orleans.Concurrency;
global using Orleans.EventSourcing;
global using Orleans.Hosting;

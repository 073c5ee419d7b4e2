// What Geo costs local calls: the same calls on a silo without Geo and on one with it, interleaved in one process.
// Usage: dotnet run -c Release --project benchmarks/Geo.Orleans.Benchmarks [-- <rounds> <calls a round>]
using System.Globalization;
using Geo.Orleans.Benchmarks;

var rounds = args.Length > 0 ? int.Parse(args[0], CultureInfo.InvariantCulture) : 61;
var calls = args.Length > 1 ? int.Parse(args[1], CultureInfo.InvariantCulture) : 20_000;

await using var without = await BenchSilo.StartAsync(useGeo: false);
await using var with = await BenchSilo.StartAsync(useGeo: true);
await LocalCalls.ReportAsync("grain without attributes", rounds, calls, without, with, (silo, key) => silo.GetGrain<IPlain>(key));
await LocalCalls.ReportAsync("single-instance grain", rounds, calls, without, with, (silo, key) => silo.GetGrain<ISingleInstance>(key));

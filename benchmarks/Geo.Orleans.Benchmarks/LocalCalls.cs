using System.Diagnostics;
using System.Globalization;

namespace Geo.Orleans.Benchmarks;

/// <summary>Times calls from one grain to another on the same silo, round by round without and with Geo.</summary>
internal static class LocalCalls
{
    public static async Task ReportAsync(
        string what, int rounds, int calls, BenchSilo without, BenchSilo with, Func<IGrainFactory, long, IEcho> grain)
    {
        var bare = new Side(without.Grains, grain);
        var geo = new Side(with.Grains, grain);
        var ratios = new List<double>();
        for (var round = 0; round <= rounds; round++)
        {
            var (first, second) = round % 2 == 0 ? (bare, geo) : (geo, bare);
            var a = await first.RunAsync(calls);
            var b = await second.RunAsync(calls);
            if (round > 0)
            {
                ratios.Add(first == bare ? b / a : a / b);
            }
        }

        ratios.Sort();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{what}: {bare.Median:0.00} us without Geo, {geo.Median:0.00} us with; ratio {ratios[ratios.Count / 2]:0.00} (half of "
            + $"{ratios.Count} rounds between {ratios[ratios.Count / 4]:0.00} and {ratios[ratios.Count * 3 / 4]:0.00}), allocated "
            + $"{bare.Bytes} and {geo.Bytes} B a call"));
    }

    /// <summary>One of the two silos.</summary>
    private sealed class Side(IGrainFactory factory, Func<IGrainFactory, long, IEcho> grain)
    {
        private readonly List<double> _micros = [];

        public double Median => _micros.Order().ElementAt(_micros.Count / 2);

        public long Bytes { get; private set; }

        public async Task<double> RunAsync(int calls)
        {
            var allocated = GC.GetTotalAllocatedBytes(precise: true);
            var started = Stopwatch.GetTimestamp();
            await grain(factory, 1).Drive(grain(factory, 2), calls);
            var micros = Stopwatch.GetElapsedTime(started).TotalMicroseconds / calls;
            Bytes = (GC.GetTotalAllocatedBytes(precise: true) - allocated) / calls;
            _micros.Add(micros);
            return micros;
        }
    }
}

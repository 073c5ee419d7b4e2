using System.Diagnostics;
using ByteArraySample;

// The first accesses of an array and two more of each kind, from the region that has it and from the other: 145 ms of round trip show.
await using var regions = await Regions.StartAsync(TimeSpan.FromMilliseconds(145), TimeSpan.FromMilliseconds(10));
foreach (var (name, prefix) in Arrays.All)
{
    Console.WriteLine(name);
    foreach (var (region, grains) in new[] { ("California", regions.California), ("Netherlands", regions.Netherlands) })
    {
        var array = grains.GetGrain<IByteArray>("demonstration", prefix);
        foreach (var (what, isLatest, isUpdate) in new[]
        {
            ("first read", false, false), ("read", false, false), ("update", false, true), ("latest read", true, false),
            ("confirmed update", true, true),
        })
        {
            var began = Stopwatch.GetTimestamp();
            await (isUpdate ? array.Update(0, new byte[Arrays.Part], isLatest) : array.Read(0, isLatest));
            Console.WriteLine($"  from {region}, {what}: {Stopwatch.GetElapsedTime(began).TotalMilliseconds:0.0} ms");
        }
    }
}

using Geo.Tool.Tests.Kit;

namespace Geo.Tool.Tests;

public sealed class TwoRegionsTests
{
    [Fact]
    public async Task Each_command_tells_of_two_regions_over_tcp_and_a_grain_is_found_moved_and_released()
    {
        await using var us = await Region.StartAsync(new() { Cluster = "us", Other = "eu" });
        var eu = await Region.StartAsync(new() { OtherAddress = us.Silo.ListeningOn!.ToString() });
        await using (eu)
        {
            await Eventually.Is(
                async () => (await us.RunAsync("clusters", "--json")).ReadJson().GetProperty("roundTrips").GetArrayLength(),
                trips => trips == 2);
            await us.Grains.GetGrain<ICounter>("a").Add(1);

            Assert.Contains("Nothing is wrong.", (await us.RunAsync("status")).Output);
            Assert.Contains("eu/silo", (await us.RunAsync("links")).Output);
            Assert.Contains("No cluster lacks anything.", (await us.RunAsync("lag")).Output);
            Assert.Contains("No grain is Doubtful.", (await us.RunAsync("doubtful")).Output);
            var looks = await us.RunAsync("watch", "--count", "2", "--every", "0.1", "--json");
            Assert.Equal(2, looks.Output.Split('\n').Count(line => line.Length > 0));

            // Asked in the other region, which knows a hint at most.
            Assert.StartsWith("counter/a: in us, on silo us/", (await eu.RunAsync("grain", "counter/a")).Output);
            Assert.StartsWith("counter/none: in no cluster.", (await eu.RunAsync("grain", "counter/none")).Output);

            Assert.Equal(0, (await us.RunAsync("move", "counter/a", "--to", "eu", "--reason", "a test")).ExitCode);
            Assert.Equal("eu", (await us.RunAsync("grain", "counter/a", "--json")).ReadJson().GetProperty("cluster").GetString());
            var notHere = await us.RunAsync("release", "counter/a");
            Assert.Equal(EntryPoint.Refused, notHere.ExitCode);
            Assert.Contains("this cluster has no instance of it", notHere.Output);
            Assert.Equal(0, (await eu.RunAsync("release", "counter/a")).ExitCode);
            Assert.StartsWith("counter/a: in no cluster.", (await us.RunAsync("grain", "counter/a")).Output);
        }

        var run = await Eventually.Is(() => us.RunAsync("doctor"), run => run.ExitCode == EntryPoint.Found);
        Assert.StartsWith("region-down (eu): eu has been out of reach for ", run.Output);
    }
}

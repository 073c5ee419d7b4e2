using System.Globalization;
using System.Text;
using Geo.Messaging;
using Geo.Messaging.Overlays;
using Geo.Testing.Overlays;

namespace Geo.Testing.Tests.Overlays;

public sealed class HyParViewScaleTests(ITestOutputHelper output) : IAsyncDisposable
{
    private static readonly OverlayOptions Options = new() { Overlay = HyParView.Name, TickInterval = TimeSpan.FromMilliseconds(200) };

    private readonly SimulatedOverlayWorld _world = new(new SimulationSeed(1), options: new() { RedialInterval = TimeSpan.FromSeconds(1) });
    private readonly Random _random = new SimulationSeed(1).Fork("scale");
    private readonly List<OverlayNode> _living = [];
    private readonly Dictionary<string, Dictionary<PeerId, int>> _received = [];
    private readonly Dictionary<string, long> _duplicates = [];

    [Fact]
    public Task A_thousand_peers_survive_the_crash_of_thirty_percent_at_once_and_hear_every_broadcast() => RunAsync(1_024);

    [Fact(Explicit = true)]
    public Task Two_thousand_peers_survive_the_crash_of_thirty_percent_at_once_and_hear_every_broadcast() => RunAsync(2_048);

    [Fact(Explicit = true)]
    public Task Ten_thousand_peers_survive_the_crash_of_thirty_percent_at_once_and_hear_every_broadcast() => RunAsync(10_000);

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    private async Task RunAsync(int peers)
    {
        await StartAllAsync(peers);
        Report($"{peers} peers started");
        Pass(60);
        Assert.Equal(peers, Reached());
        Report($"{peers} peers joined; neighbours {Neighbours()}");

        Broadcast("first", 1);
        Report($"first broadcast, tree not carved: {Spread("first1")}");
        Broadcast("tree", 10);
        Report($"tenth broadcast: {Spread("tree10")}");
        AssertAllHeardOnce("tree", 10);

        var crashed = _living.OrderBy(_ => _random.Next()).Take(peers * 3 / 10).ToList();
        crashed.ForEach(node => _living.Remove(node));
        foreach (var node in crashed)
        {
            await _world.CrashAsync(node);
        }

        // Before anyone has noticed: a few may have lost all their neighbours.
        Report($"{crashed.Count} crashed at once: {Reached()} of {_living.Count} living peers are still connected");
        Assert.InRange(Reached(), _living.Count * 95 / 100, _living.Count);
        Broadcast("amid", 1);
        Report($"a broadcast in the same moment: {Spread("amid1")}");
        Pass(30);
        Report($"30 s later: {Reached()} of {_living.Count} living peers are connected; neighbours {Neighbours()}");
        Assert.Equal(_living.Count, Reached());

        Broadcast("after", 20);
        Report($"first broadcast after the repair: {Spread("after1")}");
        Report($"twentieth: {Spread("after20")}");
        AssertAllHeardOnce("after", 20);
        Assert.All(_living, node => Assert.InRange(node.Neighbours.Count, 1, 6));
    }

    private async Task StartAllAsync(int peers)
    {
        for (var peer = 0; peer < peers; peer++)
        {
            var node = _world.Start($"p{peer}", Options);
            node.MessageReceived += message => Note(node, message);
            if (peer > 0)
            {
                node.Join(_world.AddressOf(_living[_random.Next(peer)]));
            }

            _living.Add(node);
            if (peer % 16 == 0)
            {
                await _world.PassAsync(TimeSpan.FromMilliseconds(200));
            }
        }
    }

    // The value is the hops by which the message came; a second time would be an error at once.
    private void Note(OverlayNode node, OverlayMessage message)
    {
        var text = Encoding.UTF8.GetString(message.Payload.Span);
        _received.TryAdd(text, []);
        _received[text].Add(node.Peer, message.Hops);
    }

    private void Broadcast(string text, int count)
    {
        for (var number = 1; number <= count; number++)
        {
            var before = _living.Sum(node => node.Counts.Broadcasts.Duplicates);
            var from = _living[_random.Next(_living.Count)];
            Assert.True(from.TryBroadcast(Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{text}{number}"))));
            Pass(5);
            _duplicates[string.Create(CultureInfo.InvariantCulture, $"{text}{number}")] = _living.Sum(
                node => node.Counts.Broadcasts.Duplicates) - before;
        }
    }

    private void AssertAllHeardOnce(string text, int count)
    {
        foreach (var number in Enumerable.Range(1, count))
        {
            var heard = _received[string.Create(CultureInfo.InvariantCulture, $"{text}{number}")];
            Assert.Equal(_living.Count, _living.Count(node => heard.ContainsKey(node.Peer)));
        }
    }

    private int Reached()
    {
        var byName = _living.ToDictionary(node => node.Peer);
        HashSet<PeerId> seen = [_living[0].Peer];
        Queue<PeerId> open = new(seen);
        while (open.TryDequeue(out var next))
        {
            foreach (var neighbour in byName[next].Neighbours.Where(neighbour => byName.ContainsKey(neighbour) && seen.Add(neighbour)))
            {
                open.Enqueue(neighbour);
            }
        }

        return seen.Count;
    }

    private string Neighbours() => string.Create(
        CultureInfo.InvariantCulture,
        $"{_living.Min(node => node.Neighbours.Count)} to {_living.Max(node => node.Neighbours.Count)}, "
        + $"{_living.Average(node => node.Neighbours.Count):0.0} on average");

    private string Spread(string text)
    {
        var hops = _received[text].Where(heard => _living.Exists(node => node.Peer == heard.Key)).Select(heard => heard.Value).ToList();
        return string.Create(
            CultureInfo.InvariantCulture,
            $"reached {hops.Count} of {_living.Count}, hops {hops.Average():0.0} on average and {hops.Max()} at most, redundancy "
            + $"{(double)_duplicates[text] / (hops.Count - 1):0.000}");
    }

    private void Pass(int seconds) => _world.Time.Advance(TimeSpan.FromSeconds(seconds));

    // What a run costs is said in what does not depend on the machine's load.
    private void Report(string line) => output.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{Environment.CpuUsage.TotalTime.TotalSeconds:0} s of processors, {GC.GetTotalMemory(false) >> 20} MiB in use, "
        + $"{GC.GetTotalAllocatedBytes() >> 20} MiB allocated, {_world.Network.Frames} frames, "
        + $"{_world.Time.Elapsed.TotalSeconds:0} s of virtual time: {line}"));
}

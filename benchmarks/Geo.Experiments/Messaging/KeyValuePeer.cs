using System.Net;
using Geo.Experiments.Messaging.Load;
using Geo.Messaging;
using KeyValueSample;

namespace Geo.Experiments.Messaging;

/// <summary>One of three peers that hold a replicated store and load it at the same time, as in Partisan section 6.2.4.</summary>
internal sealed class KeyValuePeer : IExperimentPeer
{
    private const int PaperKeys = 10_000;
    private const long MostStoredBytes = 1024 * 1024 * 1024;
    private const int ReadsPerWrite = 10;
    private const int DeviationsAcross = 6;
    private static readonly TimeSpan StorageDelay = TimeSpan.FromMilliseconds(1);

    private readonly PeerSettings _settings;
    private readonly MessagingNode _node;
    private readonly Replica _replica = new(StorageDelay, TimeProvider.System);
    private readonly QuorumStore _store;
    private readonly string[] _keys;
    private readonly Random[] _randoms;
    private readonly byte[] _value;
    private long _sequence;

    private KeyValuePeer(PeerSettings settings, MessagingNode node)
    {
        (_settings, _node) = (settings, node);
        _replica.AddTo(node);
        var ring = new Ring([.. Enumerable.Range(0, settings.Cell.Peers()).Select(GeoNode.IdOf)]);
        _store = new QuorumStore(node, _replica, ring, KeyOf, TimeProvider.System);
        _value = new byte[settings.Cell.PayloadBytes];
        _randoms = [.. Enumerable.Range(0, settings.Cell.Actors).Select(actor => new Random((settings.Index << 16) + actor))];

        // As many keys as the paper has, or as many large values as fit into memory.
        _keys = [.. Enumerable.Range(0, (int)Math.Min(PaperKeys, MostStoredBytes / _value.Length)).Select(key => $"key-{key}")];
        var first = new Versioned(1, _value).ToBytes();
        Array.ForEach(_keys, key => _replica.Keep(key, first));
    }

    public int Port => _node.ListeningOn!.Port;

    public static async Task<KeyValuePeer> StartAsync(PeerSettings settings) => new(settings, await GeoNode.StartAsync(settings));

    public async Task<PeerFigures?> RunAsync(IReadOnlyList<IPEndPoint> addresses)
    {
        foreach (var address in addresses.Skip(_settings.Index + 1))
        {
            await _node.JoinAsync(new PeerAddress(address.Address.ToString(), address.Port));
        }

        while (_node.Members.Count < addresses.Count - 1)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(10));
        }

        var window = Window.After(_settings.WarmUpSeconds, _settings.MeasureSeconds);
        var actors = Actors.Start(_settings.Cell.Actors, window, (_, life) => Task.Run(life), ActAsync);
        await await Task.WhenAny(window.UntilBeginAsync(), actors.Failed);
        var meter = new Meter();
        await await Task.WhenAny(window.UntilEndAsync(), actors.Failed);
        return meter.Figures(actors.Times(), window.Seconds);
    }

    public ValueTask DisposeAsync() => _node.DisposeAsync();

    private async ValueTask ActAsync(int actor)
    {
        var random = _randoms[actor];
        var key = _keys[NextKey(random)];
        if (random.Next(ReadsPerWrite + 1) == 0)
        {
            await _store.PutAsync(key, _value);
        }
        else
        {
            await _store.GetAsync(key);
        }
    }

    // Drawn from a normal distribution over the keys, as in the paper: the mean in the middle, three deviations to either side.
    private int NextKey(Random random)
    {
        var normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        return Math.Clamp((int)((_keys.Length / 2.0) + (normal * _keys.Length / DeviationsAcross)), 0, _keys.Length - 1);
    }

    private PartitionKey KeyOf(string key) =>
        _settings.Variant.HasAffinity ? PartitionKey.From(key) : PartitionKey.From(Interlocked.Increment(ref _sequence));
}

using System.Globalization;
using System.Text;
using Geo.Messaging;
using Geo.Messaging.Overlays;

namespace Geo.Testing.Conformance;

/// <summary>What a case works with: a world, its peers and what they have received.</summary>
internal sealed class OverlayBench(OverlaySubject subject) : IAsyncDisposable
{
    private readonly IOverlayWorld _world = subject.OpenWorld();
    private readonly Dictionary<OverlayNode, List<(PeerId From, string Text)>> _received = [];

    public OverlaySubject Subject => subject;

    public IOverlayWorld World => _world;

    /// <summary>The members that are up, in the order of their start.</summary>
    public List<OverlayNode> Peers { get; } = [];

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    /// <summary>Starts as many peers as the subject names, joins them one after the other, and waits until all reach all.</summary>
    public async Task StartAllAsync()
    {
        for (var peer = 0; peer < subject.Peers; peer++)
        {
            await JoinNewAsync($"p{peer}");
        }

        await SettledAsync();
    }

    public async Task<OverlayNode> JoinNewAsync(string name)
    {
        var options = new OverlayOptions { Overlay = subject.Overlay, Tag = subject.Tags[Math.Min(Peers.Count, subject.Tags.Count - 1)] };
        var node = await _world.StartAsync(name, options);
        List<(PeerId, string)> received = [];
        lock (_received)
        {
            _received[node] = received;
        }

        node.MessageReceived += message =>
        {
            lock (received)
            {
                received.Add((message.From, Encoding.UTF8.GetString(message.Payload.Span)));
            }
        };
        JoinOthers(node);
        Peers.Add(node);
        return node;
    }

    /// <summary>Joins a peer to the others, by one contact or, where nothing is gossiped, by all.</summary>
    public void JoinOthers(OverlayNode node)
    {
        foreach (var contact in Peers.Where(peer => peer != node).Take(subject.IsPairwise ? int.MaxValue : 1))
        {
            node.Join(_world.AddressOf(contact));
        }
    }

    /// <summary>
    /// Waits until the living are linked into one whole, both ends of each link agree and, with full views, all are members of all.
    /// </summary>
    public async Task SettledAsync()
    {
        var names = Peers.Select(peer => peer.Peer).ToHashSet();
        await _world.UntilAsync(() => Peers.All(peer => peer.Neighbours.All(names.Contains)) && IsConnected() && IsSymmetric()
            && (!subject.HasFullViews || Peers.All(peer =>
                names.SetEquals(peer.Members.Select(member => member.Peer)) && peer.Neighbours.Count == Peers.Count - 1)),
            $"all {Peers.Count} peers have become one overlay");
    }

    public bool IsConnected()
    {
        var byName = Peers.ToDictionary(peer => peer.Peer);
        HashSet<PeerId> seen = [Peers[0].Peer];
        Queue<PeerId> open = new(seen);
        while (open.TryDequeue(out var next))
        {
            foreach (var neighbour in byName[next].Neighbours.Where(neighbour => byName.ContainsKey(neighbour) && seen.Add(neighbour)))
            {
                open.Enqueue(neighbour);
            }
        }

        return seen.Count == Peers.Count;
    }

    /// <summary>Broadcasts from a peer and waits until all the living have it.</summary>
    public async Task BroadcastReachesAllAsync(OverlayNode from, string text)
    {
        Broadcast(from, text);
        await _world.UntilAsync(
            () => Peers.All(peer => Received(peer).Contains((from.Peer, text))), $"the broadcast '{text}' of {from.Peer} reaches all");
    }

    public static void Broadcast(OverlayNode from, string text) =>
        Expect(from.TryBroadcast(Encoding.UTF8.GetBytes(text)), $"{from.Peer} to take the broadcast '{text}'", "a refusal");

    public static void Send(OverlayNode from, OverlayNode to, string text) =>
        Expect(from.TrySend(to.Peer, Encoding.UTF8.GetBytes(text)), $"{from.Peer} to take the message '{text}'", "a refusal");

    /// <summary>What a peer has received, in order.</summary>
    public List<(PeerId From, string Text)> Received(OverlayNode peer)
    {
        List<(PeerId, string)> received;
        lock (_received)
        {
            received = _received[peer];
        }

        lock (received)
        {
            return [.. received];
        }
    }

    /// <summary>What a peer has received from another, of what begins with a text.</summary>
    public List<string> Received(OverlayNode peer, OverlayNode from, string prefix) =>
        [
            .. Received(peer)
                .Where(message => message.From == from.Peer && message.Text.StartsWith(prefix, StringComparison.Ordinal))
                .Select(message => message.Text),
        ];

    public static List<string> Numbered(string prefix, int count) =>
        [.. Enumerable.Range(1, count).Select(number => string.Create(CultureInfo.InvariantCulture, $"{prefix}{number}"))];

    public static void Expect(bool holds, string expected, string actual)
    {
        if (!holds)
        {
            throw new ConformanceException($"Expected {expected}; got {actual}.");
        }
    }

    public static void ExpectSequence(List<string> expected, List<string> actual, string what) =>
        Expect(
            expected.SequenceEqual(actual), $"{what} to be {string.Join(' ', expected)}",
            actual.Count == 0 ? "nothing" : string.Join(' ', actual));

    private bool IsSymmetric()
    {
        var byName = Peers.ToDictionary(peer => peer.Peer);
        return Peers.All(
            peer => peer.Neighbours.All(neighbour => byName.TryGetValue(neighbour, out var other) && other.Neighbours.Contains(peer.Peer)));
    }
}

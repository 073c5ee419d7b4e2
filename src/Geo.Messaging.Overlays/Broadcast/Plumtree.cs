namespace Geo.Messaging.Overlays;

/// <summary>
/// Broadcast over a tree that the messages themselves carve out of the overlay (Plumtree; Partisan ATC'19 section 3.2): payloads go to the
/// eager neighbours and are announced to the lazy ones; a duplicate takes its link out of the tree, a missing message puts one back, and so
/// does a way that is much shorter than that of the message in the tree.
/// </summary>
/// <remarks>
/// A state machine without clock, chance or I/O; not thread-safe. Beyond the published protocol, peers that become neighbours tell each
/// other how far they are with each origin, so that what one of them lacks is announced at once: messages survive repair and short
/// partitions as long as somebody keeps them.
/// </remarks>
internal sealed class Plumtree
{
    // So that a peer that lacks much is told in frames of some 50 KB.
    private const int MaxIdsInFrame = 1000;

    private readonly PeerId _self;
    private readonly PlumtreeOptions _options;
    private readonly IBroadcastOutlet _outlet;
    private readonly BroadcastLog _log;
    private readonly MissingMessages _missing;
    private readonly SortedSet<PeerId> _eager = [];
    private readonly SortedSet<PeerId> _lazy = [];
    private readonly List<(BroadcastId Id, int Hops, PeerId From)> _unannounced = [];
    private readonly PayloadWriter _frame = new();
    private ulong _sequence;
    private bool _fresh = true;

    public Plumtree(PeerId self, PlumtreeOptions options, PlumtreeCounts counts, IBroadcastOutlet outlet)
    {
        (_self, _options, Counts, _outlet) = (self, options, counts, outlet);
        _log = new BroadcastLog(options, counts, outlet);
        _missing = new MissingMessages(options);
    }

    private enum Kind : byte
    {
        Payload = 1,
        Announcement = 2,
        Graft = 3,
        Prune = 4,
        Summary = 5,
        Join = 6,
    }

    public PlumtreeCounts Counts { get; }

    /// <summary>The neighbours that are in the tree.</summary>
    public IReadOnlyCollection<PeerId> Eager => _eager;

    /// <summary>Numbers this peer's messages from 1 again, for a new incarnation.</summary>
    public void StartOver() => _sequence = 0;

    public void NeighbourUp(PeerId peer)
    {
        if (_lazy.Contains(peer) || !_eager.Add(peer))
        {
            return;
        }

        Begin(Kind.Summary);
        var marks = _log.Marks();
        _frame.WriteUnsigned((ulong)marks.Count);
        foreach (var mark in marks)
        {
            mark.WriteTo(_frame);
        }

        _outlet.Send(peer, _frame);
    }

    public void NeighbourDown(PeerId peer)
    {
        _eager.Remove(peer);
        _lazy.Remove(peer);
    }

    /// <summary>Sends a message of this peer to all; it is delivered here as well.</summary>
    public BroadcastId Broadcast(PeerId origin, long incarnation, ReadOnlyMemory<byte> payload, TimeSpan now)
    {
        var id = new BroadcastId(origin, incarnation, ++_sequence);
        BeginPayload(id, payload.Span, 0);
        if (_outlet.TrySendToAll(_frame))
        {
            Counts.PayloadsSent++;
        }
        else
        {
            Spread(id, payload, 0, origin);
        }

        _log.Add(id, payload, 0, origin, now);
        return id;
    }

    /// <summary>Handles a frame of a neighbour.</summary>
    /// <param name="from">The neighbour.</param>
    /// <param name="reader">What it sent.</param>
    /// <param name="relays">True when messages of others are passed on from here.</param>
    /// <param name="now">The time.</param>
    /// <returns>The message that came for the first time; null for any other frame.</returns>
    public BroadcastId? Handle(PeerId from, ref PayloadReader reader, bool relays, TimeSpan now)
    {
        switch ((Kind)reader.ReadByte())
        {
            case Kind.Payload:
                return OnPayload(from, ref reader, relays, now);
            case Kind.Announcement:
                for (var left = reader.ReadCount(); left > 0; left--)
                {
                    var id = BroadcastId.ReadFrom(ref reader);
                    var hops = ReadHops(ref reader);
                    if (id.Origin == _self)
                    {
                        continue;
                    }

                    if (_log.IsNew(id))
                    {
                        _missing.Announced(id, from, now);
                    }
                    else
                    {
                        Shorten(id, hops, from);
                    }
                }

                break;
            case Kind.Graft:
                OnGraft(from, BroadcastId.ReadFrom(ref reader));
                break;
            case Kind.Join:
                ToEager(from);
                break;
            case Kind.Prune:
                ToLazy(from);
                break;
            case Kind.Summary:
                OnSummary(from, ref reader, now);
                break;
            case var kind:
                throw new GeoSerializationException($"A broadcast frame of {from} is of the unknown kind {(byte)kind}.");
        }

        return null;
    }

    /// <summary>Announces, asks for what is missing, and gives up what was missing for too long.</summary>
    public void Tick(TimeSpan now)
    {
        Announce();
        foreach (var (id, from) in _missing.Due(now, peer => _eager.Contains(peer) || _lazy.Contains(peer)))
        {
            // It may have come meanwhile, or turned out to be from before this peer joined.
            if (!_log.IsNew(id))
            {
                _missing.Arrived(id);
                continue;
            }

            ToEager(from);
            Counts.Grafts++;
            Begin(Kind.Graft);
            id.WriteTo(_frame);
            _outlet.Send(from, _frame);
        }

        _log.SkipGaps(now);
    }

    private BroadcastId? OnPayload(PeerId from, ref PayloadReader reader, bool relays, TimeSpan now)
    {
        var id = BroadcastId.ReadFrom(ref reader);
        var hops = ReadHops(ref reader) + 1;
        _missing.Arrived(id);
        // Nobody else knows what this peer broadcasts next.
        if (id.Origin == _self || !_log.IsNew(id))
        {
            Counts.Duplicates++;
            Prune(from);
            return null;
        }

        ReadOnlyMemory<byte> payload = reader.ReadBytes().ToArray();
        ToEager(from);
        if (relays)
        {
            Spread(id, payload, hops, from);
        }

        _log.Add(id, payload, hops, from, now);
        return id;
    }

    private void OnGraft(PeerId from, BroadcastId id)
    {
        ToEager(from);
        if (_log.Find(id) is { } kept)
        {
            Push(from, id, kept.Payload.Span, kept.Hops);
        }
    }

    // The neighbour that has announced the message takes the place of the one that brought it, when the way over it is that much shorter.
    private void Shorten(BroadcastId id, int hops, PeerId announcer)
    {
        if (_lazy.Contains(announcer) && _log.Find(id) is { } kept && _eager.Contains(kept.From)
            && kept.Hops - (hops + 1) >= _options.HopsSaved)
        {
            Counts.Shortened++;
            ToEager(announcer);
            Begin(Kind.Join);
            _outlet.Send(announcer, _frame);
            Prune(kept.From);
        }
    }

    private void Prune(PeerId peer)
    {
        Counts.Prunes++;
        ToLazy(peer);
        Begin(Kind.Prune);
        _outlet.Send(peer, _frame);
    }

    private void OnSummary(PeerId from, ref PayloadReader reader, TimeSpan now)
    {
        List<BroadcastMark> marks = [];
        for (var left = Math.Min(reader.ReadCount(), _options.Origins); left > 0; left--)
        {
            marks.Add(BroadcastMark.ReadFrom(ref reader));
        }

        var lacked = _log.LackedBy(marks.DistinctBy(mark => mark.Last.Origin));
        _log.Adopt(marks.Where(mark => mark.Last.Origin != _self), _fresh, now);
        _fresh = false;
        _outlet.Told(from);
        foreach (var ids in lacked.Chunk(MaxIdsInFrame))
        {
            SendAnnouncement(from, [.. ids.Select(id => (id, _log.Find(id)?.Hops ?? 0))]);
        }
    }

    private static int ReadHops(ref PayloadReader reader) => (int)Math.Min(reader.ReadUnsigned(), int.MaxValue / 2);

    private void Spread(BroadcastId id, ReadOnlyMemory<byte> payload, int hops, PeerId from)
    {
        foreach (var peer in _eager)
        {
            if (peer != from && peer != id.Origin)
            {
                Push(peer, id, payload.Span, hops);
            }
        }

        // Without lazy neighbours nobody is to be told; with them, they are told in one frame at the next tick.
        if (_lazy.Count > 0)
        {
            _unannounced.Add((id, hops, from));
            if (_unannounced.Count >= MaxIdsInFrame)
            {
                Announce();
            }
        }
    }

    private void Push(PeerId to, BroadcastId id, ReadOnlySpan<byte> payload, int hops)
    {
        Counts.PayloadsSent++;
        BeginPayload(id, payload, hops);
        _outlet.Send(to, _frame);
    }

    private void BeginPayload(BroadcastId id, ReadOnlySpan<byte> payload, int hops)
    {
        Begin(Kind.Payload);
        id.WriteTo(_frame);
        _frame.WriteUnsigned((ulong)hops);
        _frame.WriteBytes(payload);
    }

    private void Announce()
    {
        if (_unannounced.Count == 0)
        {
            return;
        }

        foreach (var peer in _lazy)
        {
            var owed = _unannounced.Where(message => message.From != peer).Select(message => (message.Id, message.Hops));
            foreach (var ids in owed.Chunk(MaxIdsInFrame))
            {
                SendAnnouncement(peer, ids);
            }
        }

        _unannounced.Clear();
    }

    private void SendAnnouncement(PeerId to, (BroadcastId Id, int Hops)[] ids)
    {
        Counts.Announcements++;
        Begin(Kind.Announcement);
        _frame.WriteUnsigned((ulong)ids.Length);
        foreach (var (id, hops) in ids)
        {
            id.WriteTo(_frame);
            _frame.WriteUnsigned((ulong)hops);
        }

        _outlet.Send(to, _frame);
    }

    private void ToEager(PeerId peer)
    {
        if (_lazy.Contains(peer))
        {
            // As a lazy neighbour it is still owed these.
            Announce();
            _lazy.Remove(peer);
            _eager.Add(peer);
        }
    }

    private void ToLazy(PeerId peer)
    {
        if (_eager.Remove(peer))
        {
            _lazy.Add(peer);
        }
    }

    private void Begin(Kind kind)
    {
        _frame.Reset();
        _frame.WriteByte((byte)kind);
    }
}

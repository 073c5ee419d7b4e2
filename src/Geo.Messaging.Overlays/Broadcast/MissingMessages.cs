namespace Geo.Messaging.Overlays;

/// <summary>Messages that neighbours have announced and that have not come.</summary>
internal sealed class MissingMessages(PlumtreeOptions options)
{
    private readonly Dictionary<BroadcastId, Missing> _missing = [];
    private readonly List<BroadcastId> _ended = [];

    public void Announced(BroadcastId id, PeerId by, TimeSpan now)
    {
        if (_missing.TryGetValue(id, out var known))
        {
            if (!known.Announcers.Contains(by))
            {
                known.Announcers.Enqueue(by);
            }
        }
        else if (_missing.Count < options.MissingMessages)
        {
            var missing = new Missing { Due = now + options.MissingTimeout };
            missing.Announcers.Enqueue(by);
            _missing.Add(id, missing);
        }
    }

    public void Arrived(BroadcastId id) => _missing.Remove(id);

    /// <summary>Whom to ask now for what: each announcer in turn, as long as it is a neighbour.</summary>
    public IReadOnlyList<(BroadcastId Id, PeerId From)> Due(TimeSpan now, Func<PeerId, bool> isNeighbour)
    {
        if (_missing.Count == 0)
        {
            return [];
        }

        List<(BroadcastId, PeerId)> asks = [];
        foreach (var (id, missing) in _missing)
        {
            if (missing.Due > now)
            {
                continue;
            }

            while (missing.Announcers.TryPeek(out var gone) && !isNeighbour(gone))
            {
                missing.Announcers.Dequeue();
            }

            if (missing.Announcers.Count == 0 || ++missing.Asked > options.MaxGrafts)
            {
                _ended.Add(id);
                continue;
            }

            var from = missing.Announcers.Dequeue();
            missing.Announcers.Enqueue(from);
            missing.Due = now + options.GraftTimeout;
            asks.Add((id, from));
        }

        _ended.ForEach(id => _missing.Remove(id));
        _ended.Clear();
        return asks;
    }

    private sealed class Missing
    {
        public required TimeSpan Due { get; set; }

        public int Asked { get; set; }

        public Queue<PeerId> Announcers { get; } = new();
    }
}

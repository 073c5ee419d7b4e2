namespace Geo.Testing;

/// <summary>
/// Session guarantees and cause and effect: an observer, a session wherever it reads or a replica whoever reads there, must see of a grain
/// what it has to know. That is what it has read or written itself, and what was before each update that it has seen in the session of
/// that update. Of each session the updates read and written are lists, and a past is how far these had come.
/// </summary>
internal sealed class PastCheck(LevelHistory history)
{
    private readonly Dictionary<string, SessionPast> _sessions = [];
    private readonly Dictionary<long, (string Session, string Key, int Reads, int Writes)> _writes = [];
    private readonly Dictionary<string, Observer> _observers = [];

    /// <summary>True where replicas observe, which forget nothing either.</summary>
    public bool ByNode { get; init; }

    /// <summary>An observer sees what it has read.</summary>
    public bool OwnReads { get; init; }

    /// <summary>An observer sees what it has written.</summary>
    public bool OwnWrites { get; init; }

    /// <summary>What its session had read is before an update.</summary>
    public bool ReadsBefore { get; init; }

    /// <summary>What its session had written is before an update.</summary>
    public bool WritesBefore { get; init; }

    // Of causes the causes count, too; of what a session had read before, by itself, not.
    private bool IsTransitive => ReadsBefore && WritesBefore;

    public (string Key, string Text)? Run()
    {
        foreach (var call in history.Calls.Where(c => c.Kind == LevelCallKind.Write))
        {
            _writes.TryAdd(call.Update, (call.Session, call.Key, 0, 0));
        }

        foreach (var call in history.Calls)
        {
            var session = Of(_sessions, call.Session);
            var observer = Of(_observers, ByNode ? call.Node : call.Session);
            if ((call.Kind == LevelCallKind.Write ? Write(call, session, observer) : Read(call, session, observer)) is { } found)
            {
                return (call.Key, found);
            }
        }

        return null;
    }

    private string? Write(LevelCall call, SessionPast session, Observer observer)
    {
        _writes[call.Update] = (call.Session, call.Key, session.Reads.Count, session.Writes.Count);
        if (WritesBefore && session.LastWrite is { } before && before.Stamp.CompareTo(call.Stamp) > 0)
        {
            return $"an earlier write of the session is stamped later\n  {before}\n  {call}";
        }

        if (ReadsBefore && session.LastRead is { } read && read.Stamp.CompareTo(call.Stamp) > 0)
        {
            return $"what the session has read before is stamped later\n  {read}\n  {call}";
        }

        session.Writes.Add(call.Update);
        session.LastWrite = call;
        if (OwnWrites)
        {
            Require(observer, call.Update, call);
        }

        return null;
    }

    private string? Read(LevelCall call, SessionPast session, Observer observer)
    {
        foreach (var update in call.Seen)
        {
            Know(observer, update, call);
        }

        foreach (var (update, since) in observer.Of(call.Key))
        {
            if (!call.Seen.Contains(update))
            {
                return $"{update} is missing in\n  {call}\n  since it is known by\n  {since}";
            }
        }

        foreach (var update in call.Seen)
        {
            if (session.Seen.Add(update))
            {
                session.Reads.Add(update);
            }

            if (OwnReads)
            {
                Require(observer, update, call);
            }
        }

        session.LastRead = session.LastRead is { } last && last.Stamp.CompareTo(call.Stamp) > 0 ? last : call;
        return null;
    }

    /// <summary>What was before an update has to be seen from now on.</summary>
    private void Know(Observer observer, long update, LevelCall since)
    {
        var open = new Stack<long>([update]);
        while (open.TryPop(out var next))
        {
            if (!observer.Known.Add(next) || !_writes.TryGetValue(next, out var write))
            {
                continue;
            }

            var session = Of(_sessions, write.Session);
            var (reads, writes) = observer.Followed.GetValueOrDefault(write.Session);
            var before = (ReadsBefore ? Between(session.Reads, reads, write.Reads) : [])
                .Concat(WritesBefore ? Between(session.Writes, writes, write.Writes) : []);
            foreach (var earlier in before)
            {
                Require(observer, earlier, since);
                if (IsTransitive)
                {
                    open.Push(earlier);
                }
            }

            observer.Followed[write.Session] = (Math.Max(reads, write.Reads), Math.Max(writes, write.Writes));
        }
    }

    private static long[] Between(List<long> updates, int from, int to) => [.. updates.Take(to).Skip(from)];

    private void Require(Observer observer, long update, LevelCall since)
    {
        if (_writes.TryGetValue(update, out var write))
        {
            observer.Of(write.Key).TryAdd(update, since);
        }
    }

    private static T Of<T>(Dictionary<string, T> all, string name)
        where T : new() => all.TryGetValue(name, out var one) ? one : all[name] = new();

    private sealed class SessionPast
    {
        public List<long> Reads { get; } = [];

        public HashSet<long> Seen { get; } = [];

        public List<long> Writes { get; } = [];

        public LevelCall? LastRead { get; set; }

        public LevelCall? LastWrite { get; set; }
    }

    private sealed class Observer
    {
        private readonly Dictionary<string, Dictionary<long, LevelCall>> _required = [];

        public HashSet<long> Known { get; } = [];

        /// <summary>How far the lists of sessions have been required.</summary>
        public Dictionary<string, (int Reads, int Writes)> Followed { get; } = [];

        /// <summary>What must be seen of a grain, and since when.</summary>
        public Dictionary<long, LevelCall> Of(string key) => _required.TryGetValue(key, out var one) ? one : _required[key] = [];
    }
}

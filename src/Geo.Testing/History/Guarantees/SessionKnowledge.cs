namespace Geo.Testing;

/// <summary>What a session knows of one object in the end; what it knew earlier is the beginning of it.</summary>
internal sealed class SessionKnowledge
{
    private readonly HashSet<SessionUpdate> _seen = [];
    private IReadOnlyList<long> _latest = [];

    /// <summary>The updates that it wrote and that returned, in their order.</summary>
    public List<SessionUpdate> Own { get; } = [];

    /// <summary>The updates that it saw, in the order in which it saw them first.</summary>
    public List<SessionUpdate> Seen { get; } = [];

    /// <summary>Adds what a read has seen.</summary>
    public void See(IReadOnlyList<long> updates, Func<long, SessionUpdate?> find)
    {
        var same = 0;
        while (same < updates.Count && same < _latest.Count && updates[same] == _latest[same])
        {
            same++;
        }

        for (; same < updates.Count; same++)
        {
            if (find(updates[same]) is { } update && _seen.Add(update))
            {
                update.IsSeen = true;
                Seen.Add(update);
            }
        }

        _latest = updates;
    }
}

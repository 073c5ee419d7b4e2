namespace Geo.Consistency;

/// <summary>
/// What other instances have handed in to this one: of each the newest, within bounds of updates and bytes, in the order of their turns.
/// </summary>
internal sealed class CasGuests<TUpdate>(int maxUpdates, int maxBytes)
{
    private readonly List<CasGuest<TUpdate>> _guests = [];

    internal bool Any => _guests.Count > 0;

    /// <summary>
    /// Takes a guest in, in the place of what it had handed in before; null when there is no room, or it had handed in more before.
    /// </summary>
    internal CasGuest<TUpdate>? Add(CasGuest<TUpdate> guest)
    {
        var earlier = _guests.FindIndex(g => g.Head.Instance == guest.Head.Instance);
        var others = _guests.Where((_, i) => i != earlier).ToList();
        if ((earlier >= 0 && _guests[earlier].Head.Last > guest.Head.Last)
            || others.Sum(g => g.Head.Count) + guest.Head.Count > maxUpdates || others.Sum(g => g.Bytes) + guest.Bytes > maxBytes)
        {
            return null;
        }

        if (earlier < 0)
        {
            _guests.Add(guest);
            return guest;
        }

        var before = _guests[earlier];
        return _guests[earlier] = before.Answer.Task.IsCompleted ? guest : guest with { Earlier = before };
    }

    /// <summary>The first ones in the order of their turns, at most so many.</summary>
    internal List<CasGuest<TUpdate>> Next(int most) => [.. _guests.Take(most)];

    /// <summary>Answers a guest, and lets it go; no one else may answer it after.</summary>
    internal void End(CasGuest<TUpdate> guest, ReadOnlyMemory<byte> answer)
    {
        _guests.Remove(guest);
        for (var one = guest; one is not null; one = one.Earlier)
        {
            one.Answer.TrySetResult(answer);
        }
    }

    internal void EndAll(ReadOnlyMemory<byte> answer)
    {
        foreach (var guest in _guests.ToArray())
        {
            End(guest, answer);
        }
    }

    /// <summary>Answers those whose updates are in a version that is known now.</summary>
    internal void EndThoseIn(CasState state)
    {
        foreach (var guest in _guests.Where(g => HandInRules.IsIn(state, g.Head)).ToArray())
        {
            End(guest, new CasNotification(state.Version, null, default).Write(HandInAnswer.See));
        }
    }

    /// <summary>Waits for the answer to a guest; one that gives up goes.</summary>
    internal async ValueTask<ReadOnlyMemory<byte>> WaitAsync(CasGuest<TUpdate> guest, CancellationToken cancellationToken)
    {
        using var end = cancellationToken.UnsafeRegister(static g => ((CasGuest<TUpdate>)g!).Answer.TrySetCanceled(), guest);
        try
        {
            return await guest.Answer.Task;
        }
        finally
        {
            _guests.Remove(guest);
        }
    }
}

using System.Runtime.InteropServices;

namespace Geo.Consistency;

/// <summary>Whether a view shows what a session has read and written, and how to come to that.</summary>
internal static class SessionMarks
{
    internal static bool AreContained<TState, TUpdate>(
        ISessionView<TState, TUpdate> view, ReadOnlySpan<SessionMark> marks, bool isTentative)
    {
        foreach (var mark in marks)
        {
            if (StateOf(view, mark, isTentative) != MarkState.Contained)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Ends when the view shows what is marked.</summary>
    /// <exception cref="GeoUnavailableException">It does not, or not in time.</exception>
    /// <exception cref="SessionLostException">It never will.</exception>
    /// <exception cref="GeoOutcomeUnknownException">Whether it could cannot be found out any more.</exception>
    internal static async Task ContainAsync<TState, TUpdate>(
        ISessionView<TState, TUpdate> view, SessionMark[] marks, bool isTentative, bool mustRefresh, bool isLatest, SessionMiss onMiss,
        TimeSpan wait, CancellationToken cancellationToken)
    {
        if (onMiss == SessionMiss.Throw)
        {
            ThrowIfNever(view, marks, isTentative, isLatest);
            throw Behind(view, "does not show what is asked for");
        }

        using var limit = new CancellationTokenSource(wait, view.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            if (mustRefresh)
            {
                await view.LatestAsync(either.Token);
                isLatest = true;
            }

            while (!AreContained(view, marks, isTentative))
            {
                ThrowIfNever(view, marks, isTentative, isLatest);
                if (onMiss == SessionMiss.Forward && !isLatest)
                {
                    await view.LatestAsync(either.Token);
                    isLatest = true;
                }
                else
                {
                    await view.NextChangeAsync(either.Token);
                }
            }
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            if (marks.Any(m => StateOf(view, m, isTentative) == MarkState.Forgotten))
            {
                throw new GeoOutcomeUnknownException(
                    $"Whether an update of {view.Key} that the session has written took effect cannot be found out here: too many other "
                    + "instances have written since. Read again with a new token.");
            }

            if (isLatest && marks.Any(m => IsElsewhere(view, m) && StateOf(view, m, isTentative) == MarkState.Behind))
            {
                throw new GeoOutcomeUnknownException(
                    $"An update of {view.Key} that the session has written is not part of its latest version ({view.Version}), nor did it "
                    + $"become so within {wait.TotalSeconds} s: the instance that had it queued has ended, or cannot confirm it yet. "
                    + "Nothing was done by this call; try again later, or go on without it, with a new token.");
            }

            throw Behind(view, $"did not come to show what is asked for within {wait.TotalSeconds} s");
        }
    }

    /// <summary>The token of a session that has read what is shown.</summary>
    internal static SessionToken Seen<TState, TUpdate>(ISessionView<TState, TUpdate> view, SessionToken session, bool isTentative)
    {
        if (session.IsNone && !(isTentative && !view.Pending.IsNone))
        {
            return view.Version > 0 && view.Mark(view.GrainHash) is { } only ? SessionToken.Of(only) : session;
        }

        return SeenBesides(view, session, isTentative);
    }

    private static SessionToken SeenBesides<TState, TUpdate>(ISessionView<TState, TUpdate> view, SessionToken session, bool isTentative)
    {
        var grain = view.GrainHash;
        var marks = new List<SessionMark>(2);
        if (view.Mark(grain) is { } shown)
        {
            marks.Add(shown);
        }

        if (!session.IsNone)
        {
            marks.AddRange(session.Of(grain).Where(m => m.IsPending && view.StateOf(m) != MarkState.Contained));
        }

        if (isTentative && !view.Pending.IsNone)
        {
            marks.RemoveAll(m => m.IsPending && m.Owner == view.InstanceHash);
            marks.Add(SessionMark.Pending(grain, view.InstanceHash, view.Pending, view.IsConditionPending));
        }

        return marks.Count == 0 && session.IsNone ? session : session.Replace(grain, CollectionsMarshal.AsSpan(marks));
    }

    /// <summary>The token of a session that has written an update that is queued.</summary>
    internal static SessionToken Written<TState, TUpdate>(ISessionView<TState, TUpdate> view, SessionToken session, long number)
    {
        var grain = view.GrainHash;
        var written = SessionMark.Pending(grain, view.InstanceHash, new(number, number));
        var marks = new List<SessionMark>(2);
        foreach (var mark in session.Of(grain))
        {
            if (!mark.IsAlike(written))
            {
                marks.Add(mark);
            }
            else if (mark.Counter >= view.Pending.First)
            {
                // What of it is not queued any more was found to be part of a version before the update was queued.
                written = written.With(mark with { Version = Math.Max(mark.Version, view.Pending.First) });
            }
        }

        marks.Insert(0, written);
        return session.Replace(grain, CollectionsMarshal.AsSpan(marks));
    }

    /// <exception cref="SessionLostException">What the session has seen or written will never be shown.</exception>
    /// <exception cref="GeoOutcomeUnknownException">Nobody can find out whether it ever will.</exception>
    internal static void ThrowIfNever<TState, TUpdate>(
        ISessionView<TState, TUpdate> view, SessionMark[] marks, bool isTentative, bool isLatest)
    {
        foreach (var mark in marks)
        {
            switch (StateOf(view, mark, isTentative))
            {
                case MarkState.Lost:
                case MarkState.Behind when isLatest && !mark.IsPending:
                    throw new SessionLostException(
                        $"What the session has read or written of {view.Key} is not part of its latest version ({view.Version}): memory "
                        + "was lost, the store was set back, or an update could not be written or was refused. Nothing was done by "
                        + "this call; go on with a new token.");
                case MarkState.Forgotten when !mark.IsPending:
                    throw new GeoOutcomeUnknownException(
                        $"Whether {view.Key} has kept the version that the session has seen cannot be found out any more: more leaders "
                        + $"have come since than are remembered ({ReplicaLog.MaxStarts}). Nothing was done by this call; go on with a new "
                        + "token.");
                case MarkState.Doubtful:
                    throw new GeoOutcomeUnknownException(
                        $"Updates of {view.Key} were taken out or refused, and whether all that the session has read or written of it took "
                        + "effect cannot be found out. Nothing was done by this call; go on with a new token.");
            }
        }
    }

    private static bool IsElsewhere<TState, TUpdate>(ISessionView<TState, TUpdate> view, SessionMark mark) =>
        mark.IsPending && mark.Owner != view.InstanceHash;

    /// <remarks>What an instance has queued it shows as tentative.</remarks>
    private static MarkState StateOf<TState, TUpdate>(ISessionView<TState, TUpdate> view, SessionMark mark, bool isTentative)
    {
        var state = view.StateOf(mark);
        return state == MarkState.Behind && isTentative && mark.IsPending && mark.Owner == view.InstanceHash
            && mark.Counter <= view.Pending.Last ? MarkState.Contained : state;
    }

    private static GeoUnavailableException Behind<TState, TUpdate>(ISessionView<TState, TUpdate> view, string how) =>
        new($"Cluster {view.Cluster} {how} of {view.Key} (version {view.Version} is known). Nothing was done; try again, or elsewhere.");
}

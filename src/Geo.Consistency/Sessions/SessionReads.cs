using System.Runtime.CompilerServices;

namespace Geo.Consistency;

/// <summary>Reads and updates of sessions, the same for all views.</summary>
internal static class SessionReads
{
    internal static Task<Versioned<T>> ReadAsync<TState, TUpdate, T>(
        ISessionView<TState, TUpdate> view, Func<TState, T> select, ViewRead read, CancellationToken cancellationToken)
    {
        if (!read.IsLocal)
        {
            return ReadWhenKnownAsync(view, select, read, cancellationToken);
        }

        try
        {
            return Task.FromResult(Shown(view, select, SessionToken.None, read.Level == ReadLevel.Tentative));
        }
        catch (Exception e)
        {
            return Task.FromException<Versioned<T>>(e);
        }
    }

    private static async Task<Versioned<T>> ReadWhenKnownAsync<TState, TUpdate, T>(
        ISessionView<TState, TUpdate> view, Func<TState, T> select, ViewRead read, CancellationToken cancellationToken)
    {
        var session = read.Session ?? SessionToken.None;
        SessionMark[] marks = session.IsNone ? [] : [.. session.Of(view.GrainHash)];
        var isTentative = read.Level == ReadLevel.Tentative;
        if (read.Level == ReadLevel.Linearizable)
        {
            await view.LatestAsync(cancellationToken);
        }

        var mustRefresh = read.Level != ReadLevel.Linearizable && (
            (session.IsIncomplete && marks.All(m => m.IsPending)) || (read.MaxAge is { } most && !(view.Age <= most)));
        if (mustRefresh || !SessionMarks.AreContained(view, marks, isTentative))
        {
            await SessionMarks.ContainAsync(
                view, marks, isTentative, mustRefresh, read.Level == ReadLevel.Linearizable, read.OnMiss, read.Wait, cancellationToken);
        }

        return Shown(view, select, session, isTentative);
    }

    private static Versioned<T> Shown<TState, TUpdate, T>(
        ISessionView<TState, TUpdate> view, Func<TState, T> select, SessionToken session, bool isTentative) => new(
            select(isTentative ? view.Tentative : view.Confirmed), view.Version, view.Age, view.Cluster,
            SessionMarks.Seen(view, session, isTentative));

    internal static async Task<UpdateOutcome> UpdateAsync<TState, TUpdate>(
        ISessionView<TState, TUpdate> view, TUpdate update, ViewUpdate how, CancellationToken cancellationToken)
    {
        var session = how.Session ?? SessionToken.None;
        if (!session.IsNone)
        {
            // This instance's own updates keep their order, unless one was taken out. What is confirmed comes before whatever is decided
            // now, but not in what is shown here as tentative, where others see this update.
            SessionMark[] marks = [.. session.Of(view.GrainHash)];
            var before = marks.Where(m => !m.IsPending || m.Owner != view.InstanceHash).ToArray();
            if (!SessionMarks.AreContained(view, before, isTentative: false))
            {
                await SessionMarks.ContainAsync(view, before, false, false, false, how.OnMiss, how.Wait, cancellationToken);
            }

            SessionMarks.ThrowIfNever(view, marks, isTentative: false, isLatest: false);
        }

        if (how.IsConditional)
        {
            var isApplied = await view.TryEnqueueAsync([update], cancellationToken);
            return new(!isApplied, isApplied, view.Version, view.Cluster, SessionMarks.Seen(view, session, isTentative: false));
        }

        var (number, confirmed) = view.Add(update, how.IsConfirmed, cancellationToken);
        await confirmed;
        var isConfirmed = how.IsConfirmed || number == 0;
        return new(
            false, isConfirmed, view.Version, view.Cluster,
            isConfirmed ? SessionMarks.Seen(view, session, isTentative: false) : SessionMarks.Written(view, session, number));
    }

    /// <summary>The confirmed versions from the present one on, as they are known here: each later than the one before.</summary>
    internal static async IAsyncEnumerable<Versioned<T>> VersionsAsync<TState, TUpdate, T>(
        ISessionView<TState, TUpdate> view, Func<TState, T> select, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var last = -1L;
        while (true)
        {
            if (view.Version > last)
            {
                last = view.Version;
                yield return new(
                    select(view.Confirmed), last, view.Age, view.Cluster, SessionMarks.Seen(view, SessionToken.None, isTentative: false));
            }
            else
            {
                await view.NextChangeAsync(cancellationToken);
            }
        }
    }
}

using Geo.Consistency;
using Orleans.EventSourcing;

namespace Geo.Orleans;

/// <summary>What Geo's journals can do beyond what Orleans' <c>JournaledGrain</c> asks of a journal.</summary>
public static class JournaledGrainExtensions
{
    /// <summary>
    /// Raises an event as one call or session asks for it. The exceptions are those of
    /// <see cref="IVersionedView{TState, TUpdate}.UpdateAsync"/>.
    /// </summary>
    /// <param name="grain">The grain, in one of its own calls.</param>
    /// <param name="event">The event.</param>
    /// <param name="how">
    /// What is asked for; its session is that of the present call (<see cref="SessionContext"/>) unless it names one.
    /// </param>
    /// <exception cref="InvalidOperationException">The grain's versions are not kept by Geo, or the call may not raise events.</exception>
    public static Task<UpdateOutcome> RaiseEvent<TState, TEvent>(this JournaledGrain<TState, TEvent> grain, TEvent @event, ViewUpdate how)
        where TState : class, new()
        where TEvent : class
    {
        ArgumentNullException.ThrowIfNull(@event);
        ArgumentNullException.ThrowIfNull(how);
        return JournalOf(grain).UpdateAsync(@event, how with { Session = how.Session ?? SessionContext.Token });
    }

    /// <summary>
    /// Reads as one call or session asks for it. The exceptions are those of <see cref="IVersionedView{TState, TUpdate}.ReadAsync"/>.
    /// </summary>
    /// <param name="grain">The grain, in one of its own calls.</param>
    /// <param name="select">Takes what is wanted out of the state: a value of its own, not a part of the state.</param>
    /// <param name="read">
    /// What is asked for; its session is that of the present call (<see cref="SessionContext"/>) unless it names one.
    /// </param>
    /// <exception cref="InvalidOperationException">The grain's versions are not kept by Geo.</exception>
    public static Task<Versioned<T>> ReadVersion<TState, TEvent, T>(
        this JournaledGrain<TState, TEvent> grain, Func<TState, T> select, ViewRead read)
        where TState : class, new()
        where TEvent : class
    {
        ArgumentNullException.ThrowIfNull(select);
        ArgumentNullException.ThrowIfNull(read);
        return JournalOf(grain).ReadAsync(select, read with { Session = read.Session ?? SessionContext.Token });
    }

    /// <summary>
    /// The confirmed versions from the present one on, as they come to be known here
    /// (<see cref="IVersionedView{TState, TUpdate}.VersionsAsync"/>).
    /// </summary>
    /// <param name="grain">The grain, in one of its own calls.</param>
    /// <param name="select">As for <see cref="ReadVersion"/>.</param>
    /// <param name="cancellationToken">Ends the sequence; a call's time does not, so that a call passes on its own.</param>
    /// <exception cref="InvalidOperationException">The grain's versions are not kept by Geo.</exception>
    public static IAsyncEnumerable<Versioned<T>> FollowVersions<TState, TEvent, T>(
        this JournaledGrain<TState, TEvent> grain, Func<TState, T> select, CancellationToken cancellationToken = default)
        where TState : class, new()
        where TEvent : class
    {
        ArgumentNullException.ThrowIfNull(select);
        return JournalOf(grain).VersionsAsync(select, cancellationToken);
    }

    private static GeoJournal<TState, TEvent> JournalOf<TState, TEvent>(JournaledGrain<TState, TEvent> grain)
        where TState : class, new()
        where TEvent : class
    {
        ArgumentNullException.ThrowIfNull(grain);
        return ((IGrainBase)grain).GrainContext.GetComponent<IGeoJournal>() as GeoJournal<TState, TEvent>
            ?? throw new InvalidOperationException(
                $"The versions of {grain.GetType().FullName} are not kept by Geo; add [BatchedCas] or [OneInstancePerCluster] to it.");
    }
}

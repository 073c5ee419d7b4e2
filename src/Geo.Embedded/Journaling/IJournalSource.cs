using Geo.Consistency;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>Makes the view that a grain's attributes ask for.</summary>
internal interface IJournalSource
{
    /// <summary>The grain.</summary>
    GrainKey Key { get; }

    /// <summary>Where failures of the grain's own notification methods are logged.</summary>
    ILogger Logger { get; }

    /// <summary>True where what other instances send is use of the grain, too, as it is of the leader of a volatile one.</summary>
    bool ServesOthers { get; }

    /// <summary>Counts as use, though no call came.</summary>
    void Touch();

    /// <summary>
    /// Begins a wait for the view on behalf of the present turn; it ends when the turn's caller gives up. Until it is disposed read-only
    /// turns are let in.
    /// </summary>
    ViewWait BeginViewWait();

    /// <summary>Checks that the present turn may raise events.</summary>
    /// <exception cref="InvalidOperationException">It is read-only.</exception>
    void CheckMayRaise();

    /// <summary>Answers a read replica of the grain.</summary>
    Task<byte[]> FeedAsync<TState, TEvent>(IVersionedView<TState, TEvent> view, byte[] poll, CancellationToken cancellationToken);

    /// <summary>Makes the view, without starting it.</summary>
    IVersionedView<TState, TEvent> CreateView<TState, TEvent>(IViewModel<TState, TEvent> model, IViewObserver observer);
}

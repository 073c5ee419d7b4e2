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

    /// <summary>Makes the view, without starting it.</summary>
    IVersionedView<TState, TEvent> CreateView<TState, TEvent>(IViewModel<TState, TEvent> model, IViewObserver observer);
}

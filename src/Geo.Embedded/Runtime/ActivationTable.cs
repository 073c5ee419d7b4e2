using System.Collections.Concurrent;
using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>
/// The activations of a silo, at most one of each grain; of the classes that may have several
/// (<see cref="CoordinationFreeAttribute.PerSilo"/>) a further table has the second, one after it the third.
/// </summary>
internal sealed class ActivationTable : IAsyncDisposable
{
    private static readonly DeactivationReason Stopping = new(DeactivationReasonCode.ShuttingDown, "The silo stops.");

    private static readonly DeactivationReason MovedAway = new(
        DeactivationReasonCode.DuplicateActivation, "Another silo of the cluster has the grain now.");

    // Each is its own key, by its grain.
    private readonly ConcurrentDictionary<Activation, bool> _activations = new(new ByGrain<Activation>(static a => a.Key));
    private readonly ConcurrentDictionary<Activation, bool>.AlternateLookup<GrainKey> _byGrain;
    private readonly ITimer _collector;
    private readonly Action<Activation> _remove;
    private readonly ActivationTable _first;
    private readonly Lock _gate = new();
    private ActivationTable? _next;
    private volatile bool _isStopping;
    private int _count;

    public ActivationTable(SiloContext silo)
        : this(silo, null)
    {
    }

    private ActivationTable(SiloContext silo, ActivationTable? first)
    {
        Silo = silo;
        _first = first ?? this;
        _byGrain = _activations.GetAlternateLookup<GrainKey>();
        _remove = Remove;
        var period = TimeSpan.FromTicks(Math.Clamp(
            silo.Options.IdleDeactivation.Ticks / 4, TimeSpan.FromMilliseconds(25).Ticks, TimeSpan.FromMinutes(1).Ticks));
        _collector = silo.Time.CreateTimer(static self => ((ActivationTable)self!).CollectIdle(), this, period, period);
    }

    /// <summary>What the activations share.</summary>
    public SiloContext Silo { get; }

    /// <summary>How many there are, in all tables.</summary>
    public int Count => _first._count;

    /// <summary>The activation of a grain, if there is one, whatever it is doing.</summary>
    public bool TryGet(GrainKey key, out Activation activation) => _byGrain.TryGetValue(key, out activation!, out _);

    /// <summary>The activation of a grain; begun if there is none.</summary>
    /// <exception cref="GeoUnavailableException">The silo stops, or holds as many as it may.</exception>
    public Activation GetOrBegin(GrainKey key, GrainClass grainClass)
    {
        if (TryGet(key, out var existing))
        {
            return existing;
        }

        if (_isStopping)
        {
            throw new GeoUnavailableException($"The silo {Silo.Node} is stopping and activates no more grains; {key} was not called.");
        }

        if (Interlocked.Increment(ref _first._count) > Silo.Options.MaxActivations)
        {
            Interlocked.Decrement(ref _first._count);
            throw new GeoUnavailableException(
                $"The silo {Silo.Node} has {Silo.Options.MaxActivations} grains active, as many as MaxActivations allows; {key} was not "
                + "called.");
        }

        var begun = new Activation(key, grainClass, Silo, _remove);
        if (!_activations.TryAdd(begun, true))
        {
            Interlocked.Decrement(ref _first._count);
            return GetOrBegin(key, grainClass);
        }

        begun.Begin();
        if (_isStopping)
        {
            // The silo began to stop in between and may not have seen this one.
            begun.Deactivate(Stopping);
        }

        return begun;
    }

    /// <summary>
    /// The activation for a call of a grain of which the silo may have several: the first without a call, a new one where all have some
    /// and there may be more, and otherwise the one with the fewest; one that waits for the call itself only where all others do so, too.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="grainClass">Its class.</param>
    /// <param name="callers">The calls that wait for this one.</param>
    /// <exception cref="GeoUnavailableException">The silo stops, or holds as many as it may.</exception>
    public Activation PickOrBegin(GrainKey key, GrainClass grainClass, CallChain? callers)
    {
        var (least, fewest) = (default(Activation), int.MaxValue);
        var table = this;
        for (var place = 0; table is not null && place < grainClass.Declaration.PerSilo; place++)
        {
            if (!table.TryGet(key, out var activation))
            {
                return least is null || Count < Silo.Options.MaxActivations ? table.GetOrBegin(key, grainClass) : least;
            }

            var calls = activation.Turns.Deactivation is not null || callers?.RunsOn(activation) == true
                ? int.MaxValue - 1
                : activation.Turns.CallsToServe;
            if (calls == 0)
            {
                return activation;
            }

            (least, fewest) = calls < fewest ? (activation, calls) : (least, fewest);
            table = table.Next();
        }

        return least!;
    }

    /// <summary>Ends the instance of a grain, because another silo of the cluster has it now.</summary>
    public void Leave(GrainKey key)
    {
        if (TryGet(key, out var activation))
        {
            activation.Deactivate(MovedAway);
        }
    }

    /// <summary>Deactivates all grains and begins no more; gives up after the time that the options allow.</summary>
    public async ValueTask DisposeAsync()
    {
        ActivationTable? next;
        lock (_gate)
        {
            (_isStopping, next) = (true, _next);
        }

        var further = next?.DisposeAsync() ?? ValueTask.CompletedTask;
        await EndAllAsync();
        await further;
    }

    private async ValueTask EndAllAsync()
    {
        await _collector.DisposeAsync();
        var ends = new List<Task>();
        foreach (var activation in Silo.Around.InOrder(_activations.Select(a => a.Key)))
        {
            activation.Deactivate(Stopping);
            ends.Add(Silo.Around.EndHere(activation.Ended));
        }

        // Each ends by itself in that time, whatever its code does; who is late is given up from here, before the wheel of deadlines stops.
        if (await HaveEndedAsync(ends, Silo.Options.DeactivationTimeout + (4 * Silo.Options.TimeoutResolution)))
        {
            return;
        }

        foreach (var activation in Silo.Around.InOrder(_activations.Select(a => a.Key)))
        {
            activation.GiveUp();
        }

        if (!await HaveEndedAsync(ends, Silo.Options.DeactivationTimeout))
        {
            RuntimeLog.StillActive(Silo.Logger, Count, 2 * Silo.Options.DeactivationTimeout.TotalSeconds);
        }
    }

    private async Task<bool> HaveEndedAsync(List<Task> ends, TimeSpan limit)
    {
        try
        {
            await Task.WhenAll(ends).WaitAsync(limit, Silo.Time).ConfigureAwait(Silo.Around.KeepsContext);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    /// <summary>The table of the next activation of each grain; null where the silo stops before there is one.</summary>
    private ActivationTable? Next()
    {
        lock (_gate)
        {
            return _isStopping ? _next : _next ??= new(Silo, _first);
        }
    }

    private void CollectIdle()
    {
        foreach (var activation in Silo.Around.InOrder(_activations.Select(a => a.Key)))
        {
            activation.DeactivateIfIdle();
        }
    }

    private void Remove(Activation activation)
    {
        if (TryGet(activation.Key, out var known) && known == activation && _activations.TryRemove(activation, out _))
        {
            Interlocked.Decrement(ref _first._count);
        }
    }
}

using Geo.Consistency;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded;

/// <summary>
/// The object of a grain and what it holds while it lives: its stored states, its view, its timers and its services. Touched by turns of
/// its activation only, unless it is said otherwise.
/// </summary>
/// <param name="activation">What the grain sees around it.</param>
/// <param name="grainClass">Its class.</param>
/// <param name="silo">What the activations of a silo share.</param>
/// <param name="turns">Say whether the instance was given up.</param>
/// <param name="scheduler">Where messages of other instances are received.</param>
internal sealed class GrainInstance(
    Activation activation, GrainClass grainClass, SiloContext silo, ActivationTurns turns, TurnScheduler scheduler)
{
    private static readonly DeactivationReason MovedAway = new(
        DeactivationReasonCode.DuplicateActivation, "Another silo of the cluster has the grain now.");

    private readonly Lock _gate = new();
    private Grain? _grain;
    private IJournal? _journal;
    private IDisposable? _replicaRegistration;
    private IDisposable? _lattice;
    private AsyncServiceScope? _scope;
    private IStoredState[] _states = [];

    /// <summary>The grain's timers.</summary>
    public ActivationTimers Timers { get; } = new(activation, silo.Time, silo.Logger);

    /// <summary>The host's services, in a scope of this instance.</summary>
    public IServiceProvider Services => (_scope ??= silo.Services.CreateAsyncScope()).ServiceProvider;

    /// <summary>True when something was raised that is not confirmed.</summary>
    public bool IsUnconfirmed => _journal is { UnconfirmedCount: > 0 };

    /// <summary>Reads its states, makes the grain and activates it.</summary>
    /// <exception cref="OperationCanceledException">Its time was up, or it was given up.</exception>
    public async Task<Grain> CreateAsync(CancellationToken cancellationToken)
    {
        _states = grainClass.States.Count == 0 ? [] : grainClass.States
            .Select(s => silo.Stores.Create(activation.Key, s, silo.Serializer, Distrust))
            .ToArray();
        foreach (var state in _states)
        {
            await state.LoadAsync(cancellationToken);
        }

        if (turns.IsClosing)
        {
            throw new OperationCanceledException($"{activation.Key} was given up before its state was read.");
        }

        if (!grainClass.IsReplica)
        {
            silo.Around.InstanceBegins(activation.Key, grainClass.Declaration);
        }

        var grain = grainClass.Construct(activation, _states);
        if (grain is IJournaledGrain journaled)
        {
            _journal = journaled.Attach(activation);
            if (_journal.Replica is { } replica)
            {
                RegisterReplica(replica);
            }

            _journal.Start();
        }

        _lattice = (grain as ILatticeGrain)?.Attach(activation);
        if (!grainClass.IsReplica)
        {
            await grain.OnActivateAsync(cancellationToken);
        }

        return _grain = grain;
    }

    /// <summary>Ends the grain in order.</summary>
    public async Task EndAsync(DeactivationReason reason, CancellationToken cancellationToken)
    {
        Timers.Close();
        if (_grain is not null && !grainClass.IsReplica)
        {
            EmbeddedMetrics.Deactivated.Add(1, new KeyValuePair<string, object?>("reason", reason.ReasonCode));
            try
            {
                await _grain.OnDeactivateAsync(reason, cancellationToken);
            }
            catch (Exception e)
            {
                RuntimeLog.DeactivationFailed(silo.Logger, e, activation.Key);
            }
        }

        await LetGoOfTheRestAsync(cancellationToken);
    }

    /// <summary>
    /// Cuts off what the grain's code, which goes on, could still do to others: its stored states refuse, and it receives nothing. On any
    /// thread.
    /// </summary>
    public void CutOff()
    {
        foreach (var state in _states)
        {
            state.Close();
        }

        // At once, for the next instance registers too, and this one's scheduler may never come to it.
        UnregisterReplica();
    }

    /// <summary>Lets go of what an instance holds that was ended from outside, when its scheduler comes to it.</summary>
    public async Task LetGoAsync()
    {
        try
        {
            Timers.Close();
            await LetGoOfTheRestAsync(new CancellationToken(canceled: true));
        }
        catch (Exception e)
        {
            RuntimeLog.DeactivationFailed(silo.Logger, e, activation.Key);
        }
    }

    private async Task LetGoOfTheRestAsync(CancellationToken cancellationToken)
    {
        await EndJournalAsync(cancellationToken);
        _lattice?.Dispose();
        if (_scope is { } scope)
        {
            await scope.DisposeAsync();
        }
    }

    private async Task EndJournalAsync(CancellationToken cancellationToken)
    {
        if (_journal is null)
        {
            return;
        }

        if (_journal.UnconfirmedCount > 0)
        {
            try
            {
                await _journal.ConfirmAsync(cancellationToken);
            }
            catch (Exception e)
            {
                JournalLog.EndedUnconfirmed(
                    silo.Logger, e, activation.Key, _journal.UnconfirmedCount, silo.Options.DeactivationTimeout.TotalSeconds);
            }
        }

        UnregisterReplica();
        await _journal.DisposeAsync();
    }

    /// <summary>An instance that was given up meanwhile must not stand in the way of the next one.</summary>
    private void RegisterReplica(IReplica replica)
    {
        // Whoever cuts it off has said that it closes before: either that is seen here, or the registration is seen there.
        lock (_gate)
        {
            if (turns.IsClosing)
            {
                throw new OperationCanceledException($"{activation.Key} was given up before it was active.");
            }

            _replicaRegistration = silo.Replicas.Register(
                activation.Key, LeaderStaysActive(replica), scheduler, () => activation.Deactivate(MovedAway));
        }
    }

    private void UnregisterReplica()
    {
        IDisposable? registration;
        lock (_gate)
        {
            registration = _replicaRegistration;
        }

        registration?.Dispose();
    }

    /// <summary>An instance that serves the others, as a volatile grain's leader does: what they send is use of it, too.</summary>
    private IReplica LeaderStaysActive(IReplica replica) =>
        grainClass.Declaration.Protocol is ViewProtocol.VersionedLeader or ViewProtocol.Own ? new TouchingReplica(replica, turns.Touch) : replica;

    private void Distrust(string why, Exception cause) =>
        activation.Deactivate(new DeactivationReason(DeactivationReasonCode.ApplicationError, why, cause));
}

using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>
/// The activations of single-instance grains on this silo, so that they can be ended from outside and their end be awaited.
/// </summary>
internal sealed class TrackedActivations(IServiceProvider services) : IConfigureGrainContextProvider, IConfigureGrainContext
{
    private readonly ConcurrentDictionary<GrainId, Tracked> _active = new();

    public bool TryGetConfigurator(
        GrainType grainType, GrainProperties properties, [NotNullWhen(true)] out IConfigureGrainContext? configurator)
    {
        configurator = properties.Properties.ContainsKey(GlobalSingleProperties.ModeProperty) ? this : null;
        return configurator is not null;
    }

    public void Configure(IGrainContext context)
    {
        var tracked = new Tracked(context, services);
        context.ObservableLifecycle.AddMigrationParticipant(tracked);
        _active[context.GrainId] = tracked;
        _ = tracked.Ended.ContinueWith(
            (_, state) =>
            {
                var ended = (Tracked)state!;
                _active.TryRemove(new(ended.Context.GrainId, ended));
            },
            tracked, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    /// <summary>True when there is an activation of the grain on this silo, whatever it is doing.</summary>
    public bool Has(GrainId grain) => _active.ContainsKey(grain);

    /// <summary>
    /// True when there is an activation of the grain on this silo that does not end, as far as the directory knows: calls that came to one
    /// that ends would wait there for those that run on it, which may take for ever, and the row may say by now that the grain is
    /// elsewhere.
    /// </summary>
    public bool TakesCalls(GrainId grain) => _active.TryGetValue(grain, out var tracked) && !tracked.IsEnding;

    /// <summary>
    /// The registration of an activation is given back: before its row is gone it takes no calls any more, though its end is not over.
    /// </summary>
    /// <returns>True when it is the latest of its grain on this silo.</returns>
    public bool Ends(GrainId grain, ActivationId activation) =>
        _active.TryGetValue(grain, out var tracked) && tracked.Context.ActivationId == activation && (tracked.IsEnding = true);

    /// <summary>An activation has been registered here, under a tenancy.</summary>
    public void Begins(GrainId grain, ActivationId activation, long? tenancy)
    {
        if (_active.TryGetValue(grain, out var tracked) && tracked.Context.ActivationId == activation)
        {
            tracked.Begins(tenancy);
            tracked.Lives();
        }
    }

    /// <summary>Waits until the activation of a grain on this silo, if there is one, is registered or has ended.</summary>
    public Task SettledAsync(GrainId grain) => _active.TryGetValue(grain, out var tracked) ? tracked.SettledAsync() : Task.CompletedTask;

    /// <summary>The tenancy under which an activation was registered; null for none.</summary>
    public long? TenancyOf(GrainId grain, ActivationId activation) =>
        _active.TryGetValue(grain, out var tracked) && tracked.Context.ActivationId == activation ? tracked.Tenancy : null;

    /// <summary>The tenancy under which the grain ran on the silo that it migrates from; null when it does not migrate here.</summary>
    public long? TenancyBefore(GrainId grain) => _active.TryGetValue(grain, out var tracked) ? tracked.TenancyBefore : null;

    /// <summary>Ends the activation on this silo, if there is one, and waits until its last call has ended.</summary>
    public Task DeactivateAsync(GrainId grain, string reason)
    {
        if (!_active.TryGetValue(grain, out var tracked))
        {
            return Task.CompletedTask;
        }

        tracked.IsEnding = true;
        tracked.Context.Deactivate(new DeactivationReason(DeactivationReasonCode.RuntimeRequested, reason));
        return tracked.Ended;
    }

    /// <summary>As <see cref="DeactivateAsync"/>; for its journal its calls wait no longer.</summary>
    public Task LoseAsync(GrainId grain, string reason)
    {
        if (_active.TryGetValue(grain, out var tracked))
        {
            // In its turns, as all that touches its components.
            tracked.Context.Scheduler.QueueAction(() => tracked.Context.GetComponent<IGeoJournal>()?.GiveUpWaits(
                LeaseRefusals.NotConfirmed(GrainNames.ToKey(grain))));
        }

        return DeactivateAsync(grain, reason);
    }

    /// <summary>An activation, which takes the name of its tenancy along when it migrates.</summary>
    private sealed class Tracked(IGrainContext context, IServiceProvider services) : IGrainMigrationParticipant
    {
        private const string TenancyKey = "geo.tenancy";

        // Lower than any row's: of an activation that was let run and lost its tenancy at once.
        private const long NoTenancy = 0;

        // Orleans registers an activation under the activation's own lock: nothing is asked of the activation under this one.
        private readonly Lock _lock = new();
        private readonly CallerCounts? _callers = context.GetComponent<CallerCounts>();
        private TaskCompletionSource? _registering;
        private bool _isRegistered;

        public IGrainContext Context => context;

        public Task Ended { get; } = context.Deactivated;

        public long? TenancyBefore { get; private set; }

        public long? Tenancy { get; private set; }

        public bool IsEnding { get; set; }

        public void Begins(long? tenancy)
        {
            Tenancy = tenancy;
            lock (_lock)
            {
                _isRegistered = true;
                _registering?.TrySetResult();
            }
        }

        public Task SettledAsync()
        {
            lock (_lock)
            {
                return _isRegistered ? Task.CompletedTask
                    : Task.WhenAny((_registering ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task, Ended);
            }
        }

        /// <summary>It is looked at from here on until it has ended, where its class says where it lives.</summary>
        public void Lives()
        {
            if (services.GetService<GeoSilo>()?.Homes is { } homes
                && services.GetRequiredService<GlobalSingleGrains>().HomeOf(context.GrainId.Type) is { } declaration
                && homes.Begins(GrainNames.ToKey(context.GrainId), declaration, _callers) is { } homed)
            {
                _ = Ended.ContinueWith(
                    _ => homes.Ended(homed), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            }
        }

        /// <summary>
        /// Takes the tenancy along, and has the silo forget it at once: the last turn has ended, and an activation that begins here before
        /// this one is gone, for a call that comes by an old address, must find out by the row whose the grain is. If the row has not moved
        /// yet it begins a tenancy of its own, and what arrives at the other silo is the duplicate: so this one ends only when what has
        /// arrived there is registered.
        /// </summary>
        public void OnDehydrate(IDehydrationContext dehydrationContext)
        {
            var mode = services.GetRequiredService<GlobalSingleGrains>().ModeOf(context.GrainId.Type);

            // Its own: where that was lost, this silo may have another one by now, of which this activation knows nothing.
            var tenancy = Tenancy ?? NoTenancy;
            dehydrationContext.TryAddValue(TenancyKey, tenancy);
            services.GetRequiredService<GeoSilo>().Directories.Of(mode ?? default).Leave(GrainNames.ToKey(context.GrainId), tenancy);

            context.ActivationServices.GetRequiredService<Departure>().From(context);
        }

        public void OnRehydrate(IRehydrationContext rehydrationContext) =>
            TenancyBefore = rehydrationContext.TryGetValue(TenancyKey, out long tenancy) ? tenancy : null;
    }
}

namespace Geo.Orleans;

/// <summary>Lets no call run on a single-instance grain of a silo without its lease: another silo, or another cluster, may have the grain by now.</summary>
internal sealed class LeaseFilter(GlobalSingleGrains singles, SiloLease lease) : IIncomingGrainCallFilter
{
    public Task Invoke(IIncomingGrainCallContext context) =>
        singles.ModeOf(context.TargetId.Type) is null || lease.IsHeld ? context.Invoke() : Task.FromException(new GeoUnavailableException(
            $"The call on grain '{context.TargetId}' did not run: its silo has not been able to renew its lease, or was declared dead. Try again."));
}

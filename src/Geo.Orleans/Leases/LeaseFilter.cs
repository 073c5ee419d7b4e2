namespace Geo.Orleans;

/// <summary>
/// Does what <see cref="LeasedRequest"/> does, for a version of Orleans whose messages cannot be reached. A filter costs the calls of all
/// grains of the silo, so it is there only then.
/// </summary>
internal sealed class LeaseFilter(GlobalSingleGrains singles, SiloLease lease) : IIncomingGrainCallFilter
{
    public Task Invoke(IIncomingGrainCallContext context) =>
        singles.ModeOf(context.TargetId.Type) is null ? context.Invoke()
        : lease.IsHeld ? InvokeAndAffirmAsync(context)
        : Task.FromException(SiloLease.NotServed(context.TargetId));

    private async Task InvokeAndAffirmAsync(IIncomingGrainCallContext context)
    {
        await context.Invoke();
        if (!lease.IsHeld)
        {
            throw SiloLease.NotConfirmed(context.TargetId);
        }
    }
}

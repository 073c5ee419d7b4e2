using Geo.Directory;

namespace Geo.Orleans;

/// <summary>
/// Does what <see cref="WatchedRequest"/> does, for a version of Orleans whose messages cannot be reached. A filter costs the calls of all
/// grains of the silo, so it is there only then.
/// </summary>
internal sealed class LeaseFilter(GlobalSingleGrains singles, ILeaseGuard guard) : IIncomingGrainCallFilter
{
    public Task Invoke(IIncomingGrainCallContext context) =>
        singles.ModeOf(context.TargetId.Type) is null ? context.Invoke()
        : guard.MayServe ? InvokeAndAffirmAsync(context)
        : Task.FromException(LeaseRefusals.NotServed(GrainNames.ToKey(context.TargetId)));

    private async Task InvokeAndAffirmAsync(IIncomingGrainCallContext context)
    {
        await context.Invoke();
        if (!guard.MayServe)
        {
            throw LeaseRefusals.NotConfirmed(GrainNames.ToKey(context.TargetId));
        }
    }
}

using Geo.Directory;

namespace Geo.Orleans;

/// <summary>
/// Does what <see cref="WatchedRequest"/> does, for a version of Orleans whose messages cannot be reached. A filter costs the calls of all
/// grains of the silo, so it is there only then.
/// </summary>
internal sealed class LeaseFilter(TenancyGuards guards) : IIncomingGrainCallFilter
{
    public Task Invoke(IIncomingGrainCallContext context) =>
        guards.For(context.TargetId) is not { } guard ? context.Invoke()
        : InvokeAndAffirmAsync(context, guard);

    private static async Task InvokeAndAffirmAsync(IIncomingGrainCallContext context, ILeaseGuard guard)
    {
        if (!await guard.MayServeSoonAsync())
        {
            throw LeaseRefusals.NotServed(GrainNames.ToKey(context.TargetId));
        }

        await context.Invoke();
        if (!await guard.MayServeSoonAsync())
        {
            throw LeaseRefusals.NotConfirmed(GrainNames.ToKey(context.TargetId));
        }
    }
}

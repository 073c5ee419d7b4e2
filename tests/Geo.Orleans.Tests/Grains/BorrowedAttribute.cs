using Geo.Consistency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A protocol of an application's own, as the hosts see it: it borrows the work of another, and counts its views.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class BorrowedAttribute : ViewProtocolAttribute, IViewProtocol
{
    private static int _views;

    /// <summary>How many views it has made in this process.</summary>
    public static int Views => Volatile.Read(ref _views);

    public override bool UsesStore => true;

    public IVersionedView<TState, TUpdate> CreateView<TState, TUpdate>(ViewContext<TState, TUpdate> context)
    {
        Interlocked.Increment(ref _views);
        return VersionedViews.Create(
            context with { Declaration = context.Declaration with { Protocol = ViewProtocol.BatchedCas, OwnProtocol = null } });
    }
}

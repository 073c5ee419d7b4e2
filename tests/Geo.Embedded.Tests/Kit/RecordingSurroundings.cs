using System.Collections.Concurrent;

namespace Geo.Embedded.Tests;

/// <summary>Surroundings that are those of the process and note what a silo took from them.</summary>
internal sealed class RecordingSurroundings : SiloSurroundings
{
    public ConcurrentQueue<string> Taken { get; } = new();

    public override bool HasNetwork => false;

    public override string NewIncarnation() => "first";

    public override Task Start(Func<Task> start)
    {
        Taken.Enqueue("start");
        return base.Start(start);
    }

    public override void Queue(IThreadPoolWorkItem turns, bool preferLocal)
    {
        Taken.Enqueue($"turns of {turns}");
        base.Queue(turns, preferLocal);
    }

    public override IConditionalStore Rows(ClusterId cluster)
    {
        Taken.Enqueue($"rows of {cluster}");
        return base.Rows(cluster);
    }

    public override IConditionalStore Store(string name, ClusterId cluster, Func<IConditionalStore> create)
    {
        Taken.Enqueue($"store {name} of {cluster}");
        return base.Store(name, cluster, create);
    }
}

using Geo.Embedded;

namespace Geo.Testing;

/// <summary>What clients ask of the grains of the standard simulation, whatever keeps their logs.</summary>
internal interface ILogGrain : IGrainWithStringKey
{
    /// <summary>A linearizable update: all of them, one after another, with none between them.</summary>
    Task Append(int[] updates);

    /// <summary>A conditional update; false when it certainly had no effect.</summary>
    Task<bool> AppendIf(int update);

    /// <summary>A local update: part of the log sooner or later, or never.</summary>
    Task Enqueue(int update);

    /// <summary>A linearizable read.</summary>
    Task<LogPrefix> Read();

    /// <summary>A local read, however stale.</summary>
    Task<LogPrefix> Peek();

    /// <summary>A linearizable read of all.</summary>
    Task<int[]> Dump();

    /// <summary>Peeks at other grains of the kind at the same time, and gives the sum of what they have.</summary>
    Task<int> Survey(string[] others);

    /// <summary>Ends this instance when its calls have ended, as a host does with an idle one.</summary>
    Task Leave();

    /// <summary>Takes some time.</summary>
    /// <returns>True when another instance has taken the place of this one by then.</returns>
    [ResponseTimeout("00:01:00")]
    Task<bool> Linger(int milliseconds);

    /// <summary>Never ends.</summary>
    Task Hang();
}

namespace Geo.Experiments.Messaging;

/// <summary>What one loading peer measured. Times are in milliseconds.</summary>
/// <param name="Operations">How many operations ended within the window.</param>
/// <param name="OpsPerSecond">The same by second.</param>
/// <param name="Median">Their median time.</param>
/// <param name="Percentile99">Their 99th percentile.</param>
/// <param name="Maximum">The longest.</param>
/// <param name="ProcessorMicrosecondsPerOp">Processor time of this process, by operation.</param>
/// <param name="AllocatedBytesPerOp">Managed memory that it allocated, by operation.</param>
/// <param name="IdleOperations">How many operations ended before the background traffic began, where that is asked.</param>
/// <param name="IdleMedian">Their median.</param>
/// <param name="IdleMaximum">The longest of them.</param>
/// <param name="BackgroundOpsPerSecond">Background operations that ended within the window.</param>
internal sealed record PeerFigures(
    long Operations,
    double OpsPerSecond,
    double Median,
    double Percentile99,
    double Maximum,
    double ProcessorMicrosecondsPerOp,
    double AllocatedBytesPerOp,
    long? IdleOperations = null,
    double? IdleMedian = null,
    double? IdleMaximum = null,
    double? BackgroundOpsPerSecond = null);

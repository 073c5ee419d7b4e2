namespace TpcwMini.Report;

/// <summary>How busy one process was during the measured time.</summary>
/// <param name="Process">What it is: a cluster, the storage account, the robots.</param>
/// <param name="CpuPercent">Of one processor: 200 is two processors fully used.</param>
internal sealed record ProcessLoad(string Process, double CpuPercent);

namespace Geo.Experiments.Lattices;

/// <summary>What one run of a level came to.</summary>
/// <param name="Rate">Operations a second.</param>
/// <param name="CpuAnOperation">Microseconds of the process, for both clusters and replication between them.</param>
/// <param name="BytesAnOperation">Allocated by the sessions, replication not counted.</param>
internal readonly record struct LevelRun(double Rate, double CpuAnOperation, double BytesAnOperation);

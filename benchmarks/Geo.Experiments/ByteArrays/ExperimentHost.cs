namespace Geo.Experiments.ByteArrays;

/// <summary>What runs the silos of an experiment.</summary>
internal enum ExperimentHost
{
    /// <summary>Embedded silos in the simulator, in virtual time.</summary>
    Simulated,

    /// <summary>Embedded silos, a process a region.</summary>
    Embedded,

    /// <summary>Orleans silos, a process a region.</summary>
    Orleans,
}

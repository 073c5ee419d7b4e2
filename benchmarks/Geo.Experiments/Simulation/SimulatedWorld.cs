namespace Geo.Experiments.Simulation;

/// <summary>What a search through seeds simulates.</summary>
internal enum SimulatedWorld
{
    /// <summary>Whole silos: the standard simulation.</summary>
    Silos,

    /// <summary>Sessions on views of every kind.</summary>
    Views,

    /// <summary>Replicas of coordination-free grains.</summary>
    Lattices,
}

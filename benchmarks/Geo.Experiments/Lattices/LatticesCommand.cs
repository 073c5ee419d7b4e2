using System.CommandLine;

namespace Geo.Experiments.Lattices;

/// <summary>The command <c>lattices</c>: experiments with coordination-free grains.</summary>
internal static class LatticesCommand
{
    public static Command Create() => new("lattices", "Coordination-free grains.") { LevelsCommand.Create() };
}

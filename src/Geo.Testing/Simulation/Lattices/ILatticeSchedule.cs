namespace Geo.Testing;

/// <summary>One random run of replicas of coordination-free grains.</summary>
internal interface ILatticeSchedule
{
    /// <summary>The steps of the run and the virtual time that it took.</summary>
    (long Steps, TimeSpan Time) Taken { get; }

    /// <summary>The states at the end.</summary>
    string Contents { get; }

    /// <summary>What is wrong at the end; null when nothing is.</summary>
    string? Run();
}

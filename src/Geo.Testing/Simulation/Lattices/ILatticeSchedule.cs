namespace Geo.Testing;

/// <summary>One random run of replicas of coordination-free grains.</summary>
internal interface ILatticeSchedule
{
    /// <summary>More steps than a run takes that ends, by far: one that does not is told from one that is slow.</summary>
    const int MaxSteps = 1_000_000;

    /// <summary>The steps of the run and the virtual time that it took.</summary>
    (long Steps, TimeSpan Time) Taken { get; }

    /// <summary>The states at the end.</summary>
    string Contents { get; }

    /// <summary>What is wrong at the end; null when nothing is.</summary>
    string? Run();
}

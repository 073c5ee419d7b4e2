namespace Geo.Directory;

/// <summary>What an attempt to fence a silo off came to.</summary>
internal enum SiloEnd
{
    /// <summary>The store of the rows did not answer: the silo may serve, and may be fenced off by now.</summary>
    Unknown,

    /// <summary>It renewed its lease meanwhile.</summary>
    Living,

    /// <summary>It certainly serves no call any more.</summary>
    Gone,
}

namespace Geo.Consistency;

/// <summary>Which state a read gives.</summary>
public enum ReadLevel
{
    /// <summary>The last version known here.</summary>
    Confirmed,

    /// <summary>The last version known here with the instance's own unconfirmed updates on top.</summary>
    Tentative,

    /// <summary>A version that was the latest at some moment after the call.</summary>
    Linearizable,
}

namespace Geo.Consistency;

/// <summary>The rules of read replicas that a test can switch off, to show that they are needed.</summary>
internal enum ReadCopyRule
{
    /// <summary>The age of an answer counts from when it was asked for, not from when it came.</summary>
    Echo,

    /// <summary>The age that the instance states is added.</summary>
    Age,

    /// <summary>Clocks may differ in their rates.</summary>
    Rate,

    /// <summary>What has passed is what the clock says that has moved further.</summary>
    BothClocks,

    /// <summary>A copy does not go back within one history.</summary>
    Newest,

    /// <summary>A history that was set back is taken up.</summary>
    Replaced,

    /// <summary>The bound is looked at once more when the result is there.</summary>
    LookAgain,
}

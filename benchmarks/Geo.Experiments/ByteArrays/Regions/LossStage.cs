namespace Geo.Experiments.ByteArrays;

/// <summary>The steps of a measured loss.</summary>
internal enum LossStage
{
    /// <summary>The region that will be lost makes the instances, and calls them from then on without an end.</summary>
    Own,

    /// <summary>The one that stays calls them, too; answered once each has been found in the other region.</summary>
    Watch,

    /// <summary>The link between the regions breaks.</summary>
    Cut,

    /// <summary>The one that stays says when each array answered anew, or was refused.</summary>
    Tell,
}

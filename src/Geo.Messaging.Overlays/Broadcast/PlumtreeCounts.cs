namespace Geo.Messaging.Overlays;

/// <summary>What the broadcasts of an overlay did at one peer.</summary>
public sealed class PlumtreeCounts
{
    /// <summary>Payloads sent to neighbours.</summary>
    public long PayloadsSent { get; internal set; }

    /// <summary>Messages delivered to the application.</summary>
    public long Delivered { get; internal set; }

    /// <summary>Payloads that had come before: the redundancy of the tree.</summary>
    public long Duplicates { get; internal set; }

    /// <summary>Frames that announced messages.</summary>
    public long Announcements { get; internal set; }

    /// <summary>Missing messages asked for.</summary>
    public long Grafts { get; internal set; }

    /// <summary>Links taken out of the tree at the other end.</summary>
    public long Prunes { get; internal set; }

    /// <summary>Links put into the tree in place of others because the way over them was much shorter.</summary>
    public long Shortened { get; internal set; }

    /// <summary>Messages given up, so that later ones of their origin could be delivered.</summary>
    public long Lost { get; internal set; }
}

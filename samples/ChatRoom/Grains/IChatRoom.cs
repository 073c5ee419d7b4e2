namespace ChatRoomSample.Grains;

public interface IChatRoom : IGrainWithGuidKey
{
    /// <summary>
    /// Posts without waiting for storage; false for a user who may not post. The user is asked, who has one instance in the world: where
    /// that is another region, or is not known yet, the post waits for other regions.
    /// </summary>
    Task<bool> Post(string user, string message);

    /// <summary>What this region knows, its own posts included; never waits.</summary>
    Task<IReadOnlyList<string>> Read();

    /// <summary>Everything that any region had stored when this was called.</summary>
    Task<IReadOnlyList<string>> ReadLatest();
}

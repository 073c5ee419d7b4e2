namespace ChatRoomSample.Grains;

public interface IUser : IGrainWithStringKey
{
    Task<bool> MayPost();

    Task Ban();
}

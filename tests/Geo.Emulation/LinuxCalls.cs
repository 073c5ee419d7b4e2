using System.Runtime.InteropServices;

namespace Geo.Emulation;

/// <summary>The Linux system calls that tunnels need and .NET does not offer.</summary>
internal static partial class LinuxCalls
{
    public const int ReadWrite = 0x2;
    public const int NonBlocking = 0x800;
    public const int CloseOnExec = 0x80000;
    public const int NewNetwork = 0x40000000;
    public const short PollIn = 0x1;

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int descriptor);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    public static unsafe partial int Control(int descriptor, nuint request, byte* argument);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    public static partial int Control(int descriptor, nuint request, nint argument);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    public static unsafe partial nint Read(int descriptor, byte* buffer, nint bytes);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    public static unsafe partial nint Write(int descriptor, byte* buffer, nint bytes);

    [LibraryImport("libc", EntryPoint = "ppoll", SetLastError = true)]
    public static unsafe partial int Poll(PollDescriptor* descriptors, nuint count, TimeSpec* timeout, void* signals);

    [LibraryImport("libc", EntryPoint = "setns", SetLastError = true)]
    public static partial int EnterNamespace(int descriptor, int kind);

    [StructLayout(LayoutKind.Sequential)]
    public struct PollDescriptor
    {
        public int Descriptor;
        public short Wanted;
        public short Found;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}

rm -rf SECRET
